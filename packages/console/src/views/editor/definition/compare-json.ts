/**
 * Whether two JSON values are written alike: the order of members counts. It stops at the first difference, and does not
 * look into parts that both share, so that comparing the states before and after an edit costs next to nothing.
 *
 * @param one - of any depth
 */
export const isSameJson = (one: unknown, other: unknown): boolean => {
  const open: (readonly [unknown, unknown])[] = [[one, other]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
      return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = Object.keys(left);
    const others = Object.keys(right);
    if (keys.length !== others.length || keys.some((key, index) => key !== others[index])) return false;
    for (const key of keys.toReversed())
      open.push([(left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]]);
  }
  return true;
};

/** In characters: the texts and names of a value that it does not share with the value before it. */
export const measureChange = (before: unknown, after: unknown): number => {
  let characters = 0;
  const open: (readonly [unknown, unknown])[] = [[before, after]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (typeof right === 'string') characters += right.length;
    if (typeof right !== 'object' || right === null) continue;
    const former: object = typeof left === 'object' && left !== null ? left : {};
    for (const [key, value] of Object.entries(right)) {
      characters += key.length;
      open.push([Object.hasOwn(former, key) ? (former as Record<string, unknown>)[key] : undefined, value]);
    }
  }
  return characters;
};
