import jsonata from 'jsonata';

/**
 * Gives a test for names of JSONata's functions. The library has no list of them, but a registered function can look
 * names up in its environment, so the test fits any version.
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
