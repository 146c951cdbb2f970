import vm from 'node:vm';
import circus from 'jest-circus/runner';

/**
 * Jest's runner of a test file, which compiles what it and packages have in CommonJS anew for each file: here it is
 * compiled once for each worker. Modules of this project are ES modules, and not concerned.
 */
const { compileFunction } = vm;
const compiled = new Map();

vm.compileFunction = (source, parameters, options) => {
  const known = compiled.get(options.filename);
  if (known?.source === source) {
    return compileFunction(source, parameters, { ...options, cachedData: known.cachedData });
  }
  const made = compileFunction(source, parameters, { ...options, produceCachedData: true });
  compiled.set(options.filename, { source, cachedData: made.cachedData });
  return made;
};

export default circus.default;
