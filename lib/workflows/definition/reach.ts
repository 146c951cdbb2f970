/** All nodes reached from `roots`, themselves included, depth first. */
export const reachFrom = (
  roots: readonly number[],
  next: (node: number) => readonly number[],
): ReadonlySet<number> => {
  const seen = new Set<number>();
  const work = roots.toReversed();
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    for (const target of next(node).toReversed()) if (!seen.has(target)) work.push(target);
  }
  return seen;
};
