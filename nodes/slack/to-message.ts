import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';

export interface MessageParameters {
  readonly text: string;
  readonly escapeText: boolean;
  readonly blocks: readonly JsonValue[];
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The content of a message as Slack takes it. */
export const toMessage = ({ text, escapeText, blocks }: MessageParameters): JsonObject => ({
  text: escapeText ? text.replaceAll(/[&<>]/g, (character) => ESCAPED[character] ?? '') : text,
  ...(blocks.length === 0 ? {} : { blocks }),
});
