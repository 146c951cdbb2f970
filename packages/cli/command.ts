import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { Command } from 'commander';
import type { PluginEntry } from '../../lib/plugins/plugin.ts';
import type { StageOptions } from './command-error.ts';
import { type Explained, writeCommandHelp } from './help.ts';
import type { Io } from './io.ts';
import type { Target } from './target.ts';

/** What each group of commands depends on. */
export interface CommandContext {
  readonly io: Io;
  /** Loads the node types on demand, so that other commands start faster. */
  readonly loadNodeTypes: () => Promise<FindNodeType>;
  readonly loadPlugins: () => Promise<readonly PluginEntry[]>;
  /** Loads what starts and deploys the service itself, from this machine. */
  readonly openLocal: () => Promise<LocalCommands>;
  /** Opens the target named on the command line. */
  readonly onTarget: (action: (context: TargetContext) => Promise<void>) => Promise<void>;
}

/** Of a deployment of the service. */
export interface DeployOptions extends RemoveOptions {
  /** Parameters of the template, by name. */
  readonly param: Readonly<Record<string, string>>;
}

/** Of a removal of the service. */
export interface RemoveOptions extends Pick<StageOptions, 'region' | 'profile'> {
  readonly dryRun?: true | undefined;
  readonly yes?: true | undefined;
}

/** What `packages/local` does for commands. */
export interface LocalCommands {
  /** Runs the service until a signal stops it. */
  runService(options: {
    readonly port?: string | undefined;
    readonly data?: string | undefined;
    readonly traces?: string | undefined;
  }): Promise<void>;
  /** Launches or upgrades a stage. @throws CommandError if it is refused, or fails */
  deployStage(stage: string, options: DeployOptions, io: Io): Promise<void>;
  /** Removes a stage, except for its data. @throws CommandError if it is refused, or fails */
  removeStage(stage: string, options: RemoveOptions, io: Io): Promise<void>;
}

export interface TargetContext {
  readonly io: Io;
  readonly target: Target;
}

// A command is a row: what it takes, its help, and what it does. The types of the values follow from the flags.

/**
 * An argument, `<id>`, `[id]` or `<ids...>`, or an option, `--limit <number>`: what it is for, how its text is read (also
 * with the values before it), and the value of an option that is not given.
 */
type Row = readonly [
  flags: string,
  about: string,
  read?: (text: string, before?: never) => unknown,
  initial?: unknown,
];

/** In place of an initial value: the option must be given. */
export const REQUIRED = Symbol('required');

type Value<One extends Row> = One extends readonly [
  string,
  string,
  (...given: never) => infer Found,
  ...unknown[],
]
  ? Found
  : One[0] extends `${string}...${string}`
    ? readonly string[]
    : One[0] extends `${string}<${string}` | `[${string}`
      ? string
      : One[0] extends `--no-${string}`
        ? boolean
        : true;

type Values<Rows extends readonly Row[]> = {
  [At in keyof Rows]: Rows[At][0] extends `[${string}...]`
    ? Value<Rows[At]>
    : Rows[At][0] extends `[${string}`
      ? Value<Rows[At]> | undefined
      : Value<Rows[At]>;
};

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** `dryRun` for `--dry-run`, `output` for `-o, --output <path>`, `browser` for `--no-browser`. */
type NameOf<Flags extends string> = Flags extends `--no-${infer Long}`
  ? CamelCase<Long>
  : Flags extends `${string}--${infer Long} ${string}`
    ? CamelCase<Long>
    : Flags extends `${string}--${infer Long}`
      ? CamelCase<Long>
      : never;

/** The values of options, by name. */
export type Options<Rows extends readonly Row[]> = {
  readonly [At in keyof Rows & `${number}` as Rows[At]['length'] extends 4
    ? never
    : NameOf<Rows[At][0]>]?: Value<Rows[At]>;
} & {
  readonly [At in keyof Rows & `${number}` as Rows[At]['length'] extends 4
    ? NameOf<Rows[At][0]>
    : never]: Value<Rows[At]>;
};

interface CommandRow<Arguments extends readonly Row[], Given extends readonly Row[]> extends Explained {
  readonly about: string;
  readonly alias?: string;
  readonly arguments?: Arguments;
  readonly options?: Given;
  /** Command lines that run as printed, with `ID` for the id of an execution or a request, as a list prints it. */
  readonly examples: readonly string[];
  /** Refuses what does not go together, before a service is looked for. */
  readonly check?: (...given: [...Values<Arguments>, Options<Given>]) => unknown;
  /** What the command does with a service. */
  readonly run?: (...given: [...Values<Arguments>, TargetContext, Options<Given>]) => unknown;
  /** What it does without one, or before it looks for one. */
  readonly runHere?: (...given: [...Values<Arguments>, CommandContext, Options<Given>]) => unknown;
}

/** Returns a function that adds commands to the program or to a group. */
export const addTo =
  (parent: Command, context: CommandContext) =>
  <const Arguments extends readonly Row[] = [], const Given extends readonly Row[] = []>(
    name: string,
    row: CommandRow<Arguments, Given>,
  ): void => {
    const command = parent.command(name).description(row.about);
    if (row.alias !== undefined) command.alias(row.alias);
    for (const [flags, about, read] of row.arguments ?? [])
      if (read === undefined) command.argument(flags, about);
      else command.argument(flags, about, read as (text: string) => unknown);
    for (const [flags, about, read, initial] of row.options ?? [])
      if (initial === REQUIRED) command.requiredOption(flags, about, read as (text: string) => unknown);
      else command.option(flags, about, read as (text: string) => unknown, initial);
    command.addHelpText('after', writeCommandHelp(row.examples, row)).action(async (...all: unknown[]) => {
      const [options, given] = [all.at(-2), all.slice(0, -2)];
      row.check?.(...(given as Values<Arguments>), options as Options<Given>);
      if (row.runHere !== undefined)
        await row.runHere(...(given as Values<Arguments>), context, options as Options<Given>);
      else
        await context.onTarget(async (onTarget) => {
          await row.run?.(...(given as Values<Arguments>), onTarget, options as Options<Given>);
        });
    });
  };
