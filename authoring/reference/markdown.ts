/** A plugin's text on one line, without control characters; inline Markdown is kept. */
export const toLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

/** The same, with a full stop unless it already ends with one. */
export const toSentence = (text: string): string => {
  const line = toLine(text);
  return line === '' || /[.!?]$/.test(line) ? line : `${line}.`;
};

export const toCode = (text: string): string =>
  text.includes('`') ? `\`\` ${toLine(text)} \`\`` : `\`${toLine(text)}\``;

export const toCodes = (texts: readonly string[]): string => texts.map(toCode).join(', ');
