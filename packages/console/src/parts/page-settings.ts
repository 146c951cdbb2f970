import type { PageSettings } from '../../console-settings.ts';

const contentOf = (name: string): string | null =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null;

/** What the server of this page said of the service. */
export const settings: PageSettings = JSON.parse(
  contentOf('hookloom-console') ?? '{"stage":null,"isReadOnly":false,"worker":""}',
);

/** Why nothing can be changed; null if it can. */
export const readOnlyReason: string | null = settings.isReadOnly ? 'This console is read-only.' : null;

/** What a button that changes something has besides. @param reason - why it can't be used where changes are possible */
export const disabledBy = (reason: string | false) => {
  const why = readOnlyReason ?? (reason === false ? null : reason);
  return { disabled: why !== null, disabledReason: why ?? '' };
};

export const readOnly = disabledBy(false);

/** With which rules of style may be added to this page. */
export const nonce: string = document.querySelector<HTMLElement>('meta[name="hookloom-nonce"]')?.nonce ?? '';
