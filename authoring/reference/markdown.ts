/** A text of a plugin on one line and without control characters; its inline Markdown is kept. */
export const toLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

/** The same, with a full stop unless it ends with one. */
export const toSentence = (text: string): string => {
  const line = toLine(text);
  return line === '' || /[.!?]$/.test(line) ? line : `${line}.`;
};

export const toCode = (text: string): string =>
  text.includes('`') ? `\`\` ${toLine(text)} \`\`` : `\`${toLine(text)}\``;

export const toCodes = (texts: readonly string[]): string => texts.map(toCode).join(', ');
