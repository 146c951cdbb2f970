/** A part of an accessibility tree. */
interface Part {
  readonly role: string;
  readonly name: string;
  readonly text: string;
  /** From the root to its parent. */
  readonly parents: readonly Part[];
}

const LINE = /^(?<indent> *)- (?<rest>.*)$/;
const PART = /^(?<role>\w+)(?: (?<name>"(?:[^"\\]|\\.)*"))?/;

/** Parses what `ariaSnapshot()` of Playwright writes. */
const parse = (snapshot: string): readonly Part[] => {
  const parts: Part[] = [];
  const open: { readonly depth: number; readonly part: Part }[] = [];
  for (const line of snapshot.split('\n')) {
    const { indent = '', rest = '' } = LINE.exec(line)?.groups ?? {};
    const whole = rest.startsWith("'") ? rest.slice(1).replaceAll("''", "'") : rest;
    const { role, name = '""' } = PART.exec(whole)?.groups ?? {};
    const text = /: (.*)$/.exec(whole)?.[1] ?? '';
    while ((open.at(-1)?.depth ?? -1) >= indent.length) open.pop();
    // The address of a link is no part of its own.
    if (role === undefined) {
      const link = open.at(-1)?.part;
      if (link !== undefined && whole.startsWith('/url:')) parts[parts.indexOf(link)] = { ...link, text };
      continue;
    }
    const part = { role, name: JSON.parse(name), text, parents: open.map((each) => each.part) };
    parts.push(part);
    open.push({ depth: indent.length, part });
  }
  return parts;
};

const CONTROLS = [
  'button',
  'link',
  'textbox',
  'searchbox',
  'combobox',
  'checkbox',
  'radio',
  'switch',
  'tab',
  'slider',
  'spinbutton',
  'option',
  'treeitem',
];
/** What is announced with a control in it, so that names need to differ only within it. */
const CONTEXTS = [
  'banner',
  'navigation',
  'main',
  'region',
  'dialog',
  'tabpanel',
  'application',
  'group',
  'radiogroup',
  'list',
];

const has =
  (roles: readonly string[]) =>
  ({ role }: Part): boolean =>
    roles.includes(role);

/** What the name of a control is heard with. Of a link in a table, that is its row, too. */
const contextOf = ({ role, parents }: Part): string =>
  parents
    .filter(({ role: each, name }) =>
      each === 'row' ? role === 'link' : CONTEXTS.includes(each) && name !== '',
    )
    .map(({ role: each, name }) => `${each} ${name}`)
    .join(' / ');

const findDuplicates = (parts: readonly Part[]): string[] => {
  const controls = parts.filter(has(CONTROLS));
  const groups = Map.groupBy(controls, (part) => `${contextOf(part)} / ${part.role} "${part.name}"`);
  return [...groups]
    .filter(([, [first, ...others]]) =>
      first?.role === 'link' ? others.some(({ text }) => text !== first.text) : others.length > 0,
    )
    .map(([key, { length }]) => `${length} with one name: ${key}`);
};

const findTableFaults = (parts: readonly Part[], table: Part): string[] => {
  const inside = parts.filter(({ parents }) => parents.includes(table));
  const rows = inside
    .filter(has(['row']))
    .map((row) => inside.filter(({ parents }) => parents.at(-1) === row));
  return [
    ...(table.name === '' ? ['a table has no name'] : []),
    ...(inside.some(has(['columnheader'])) ? [] : [`${table.name}: no column has a header`]),
    ...inside
      .filter((part) => part.role === 'columnheader' && part.name === '')
      .map(() => `${table.name}: a header is empty`),
    ...rows
      .filter((cells) => cells.length > 1 && !cells.some(has(['columnheader', 'rowheader'])))
      .map((cells) => `${table.name}: no header in the row ${cells.map(({ name }) => name).join(', ')}`),
  ];
};

/**
 * What makes a page hard to use with a screen reader and is not a violation of WCAG that a checker finds.
 *
 * @param snapshot - of `locator.ariaSnapshot()`, of the whole page
 */
export const findTreeFaults = (snapshot: string): readonly string[] => {
  const parts = parse(snapshot);
  const [main, ...others] = parts.filter(has(['main']));
  const isInMain = ({ parents }: Part) => main !== undefined && parents.includes(main);
  const headings = snapshot
    .split('\n')
    .filter((line) => line.includes('[level=1]') && line.includes('- heading'));
  return [
    ...(main === undefined || others.length > 0 ? ['there is not one main landmark'] : []),
    ...(parts.some(has(['banner'])) ? [] : ['there is no banner']),
    ...parts
      .filter((part) => part.role === 'navigation' && isInMain(part))
      .map(() => 'the navigation is in main'),
    ...(headings.length === 1 ? [] : [`${headings.length} headings are of level 1`]),
    ...parts
      .filter((part) => CONTROLS.includes(part.role) && part.name === '')
      .map((part) => `no name: ${part.role} in ${contextOf(part)}`),
    ...findDuplicates(parts),
    ...parts.filter(has(['table', 'grid'])).flatMap((table) => findTableFaults(parts, table)),
  ];
};
