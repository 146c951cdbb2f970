import stringWidth from 'string-width';
import type { Format, Io } from './io.ts';

/** A text, or one with a colour on terminals. */
type Cell = string | { readonly text: string; readonly format: Format | null };

export interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** The titles of columns with free text. A narrow terminal cuts these alone: others are copied into further commands. */
  readonly texts?: readonly string[];
}

/** Prints a table below its titles: as wide as its content, or as the terminal. */
export const printTable = (table: Table, io: Pick<Io, 'print' | 'paintOut' | 'columns'>): void => {
  for (const line of toLines(table, io.columns, io.paintOut)) io.print(line);
};

/**
 * Lays out a table: cuts the widest columns of texts until it fits. If their least width is too much, a row continues on
 * further lines.
 *
 * @param columns - the width of the terminal; null for none
 * @internal
 */
export const toLines = (
  { titles, rows, texts = [] }: Table,
  columns: number | null,
  paint: Io['paintOut'],
): string[] => {
  const table = [titles, ...rows].map((row) =>
    row.map((cell) => {
      const { text, format } = typeof cell === 'string' ? { text: cell, format: null } : cell;
      return { text: oneLine(text), format };
    }),
  );
  const natural = titles.map((_title, column) =>
    Math.max(...table.map((row) => stringWidth(row[column]?.text ?? ''))),
  );
  const isText = titles.map((title) => texts.includes(title));
  const width = columns ?? Number.POSITIVE_INFINITY;
  const widths = fitColumns(natural, isText, width);
  const groups = toGroups(widths, width);
  return table.flatMap((row) =>
    groups.map((group, at) => {
      const cells = group.map((column) => {
        const { text = '', format = null } = row[column] ?? {};
        const size = widths[column] ?? 0;
        const cut = isText[column] === true ? cutTo(text, size) : text;
        const padding = ' '.repeat(Math.max(0, size - stringWidth(cut)));
        return `${format === null ? cut : paint(format, cut)}${padding}`;
      });
      return `${at === 0 ? '' : INDENT}${cells.join(GAP)}`.trimEnd();
    }),
  );
};

const GAP = '  ';
const INDENT = '  ';

/** A text is not cut further than this. */
const MIN_TEXT = 8;

const sumOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);

/** The widths of the columns in a line of this width; if they don't fit, each text alone fits into one. */
const fitColumns = (
  natural: readonly number[],
  isText: readonly boolean[],
  width: number,
): readonly number[] => {
  const widths = [...natural];
  for (let excess = sumOf(widths) - width; excess > 0; excess = sumOf(widths) - width) {
    const sizes = widths.map((size, column) => (isText[column] === true ? size : 0));
    const widest = sizes.indexOf(Math.max(...sizes));
    const others = sizes.filter((size, column) => column !== widest && size < (sizes[widest] ?? 0));
    const size = sizes[widest] ?? 0;
    if (size <= MIN_TEXT)
      return natural.map((one, column) =>
        isText[column] === true ? Math.min(one, width - INDENT.length) : one,
      );
    // Not below the next one, which is then cut as well.
    widths[widest] = Math.max(size - excess, Math.min(size - 1, Math.max(MIN_TEXT, ...others)));
  }
  return widths;
};

/** The columns of each line of a row. */
const toGroups = (widths: readonly number[], width: number): readonly (readonly number[])[] => {
  const groups: number[][] = [[]];
  for (const column of widths.keys()) {
    const group = groups.at(-1) ?? [];
    const indent = groups.length === 1 ? 0 : INDENT.length;
    const sizes = [...group, column].map((one) => widths[one] ?? 0);
    if (group.length === 0 || indent + sumOf(sizes) <= width) group.push(column);
    else groups.push([column]);
  }
  return groups;
};

/** Cuts a text to a width, between what readers see as characters. */
const cutTo = (text: string, width: number): string => {
  if (stringWidth(text) <= width) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
};

/** Control characters in external data could move the terminal's cursor or fake a line. */
export const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');
