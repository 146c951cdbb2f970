import type { ConsoleSettings } from '../../console-settings.ts';

const contentOf = (name: string): string | null =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null;

/** What the server of this page said of the service. */
export const settings: ConsoleSettings = JSON.parse(
  contentOf('hookloom-console') ?? '{"stage":null,"isReadOnly":false}',
);

/** With which rules of style may be added to this page. */
export const nonce: string = document.querySelector<HTMLElement>('meta[name="hookloom-nonce"]')?.nonce ?? '';
