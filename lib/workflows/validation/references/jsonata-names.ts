import jsonata from 'jsonata';

/**
 * Which names JSONata has functions for: `isFunction('uppercase')`. It gives no list of them, but an evaluation can
 * look any name up, so the library itself answers, whatever its version.
 */
export const loadFunctionNames = async (): Promise<(name: string) => boolean> => {
  const found: { lookup?: (name: string) => unknown } = {};
  const probe = jsonata(`$${PROBE}()`);
  probe.registerFunction(PROBE, function () {
    const { environment } = this;
    found.lookup = (name) => environment.lookup(name);
  });
  await probe.evaluate({});
  return (name) => name !== '' && name !== '$' && name !== PROBE && found.lookup?.(name) !== undefined;
};

const PROBE = 'hookloomProbe';
