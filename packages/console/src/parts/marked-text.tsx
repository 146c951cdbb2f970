import type { ReactNode } from 'react';

/** A sentence of the service, with what is between backticks as code. A text with an odd number of backticks stays as it is. */
export const MarkedText = ({ text }: { readonly text: string }): ReactNode => {
  const parts = text.split('`');
  if (parts.length % 2 === 0) return text;
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts are of one text, and have no other identity
  return parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
};
