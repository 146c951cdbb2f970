/** The path below which the console is, without a trailing slash. */
export const CONSOLE_PATH = '/console';

/** Facts about the service, which its server puts into the page. */
export interface ConsoleSettings {
  /** The name of the stage; null for the service on this machine. */
  readonly stage: string | null;
  /** Whether what serves it refuses every change. */
  readonly isReadOnly: boolean;
}

export interface PageSettings extends ConsoleSettings {
  /** The address of the script of workers, which check workflows and try nodes. */
  readonly worker: string;
}
