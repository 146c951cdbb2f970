import vm from 'node:vm';
import circus from 'jest-circus/runner';

/**
 * Jest's runner of a test file, which compiles every module anew for each file. Here a module is compiled once for each
 * worker: CommonJS (packages, and Jest itself) as a script that runs in the context of each file, which keeps what V8
 * compiled on first use; an ES module (of this project, mostly) from a code cache, because it belongs to one context.
 */
const { compileFunction, SourceTextModule } = vm;
const scripts = new Map();
const codeCaches = new Map();
/** What `import()` does in the CommonJS modules of the file that runs; later, it would hold that file's memory. */
const importers = new Map();
/** For the coverage. A code cache has no counters of blocks. */
let countsBlocks = false;

vm.compileFunction = (source, parameters, options) => {
  const { filename, parsingContext, importModuleDynamically } = options;
  if (parsingContext === undefined || source.startsWith('#!'))
    return compileFunction(source, parameters, options);
  if (scripts.get(filename)?.source !== source) {
    scripts.set(filename, { source, script: compile(source, parameters, filename) });
  }
  importers.set(filename, importModuleDynamically);
  return scripts.get(filename).script.runInContext(parsingContext);
};

const compile = (source, parameters, filename) => {
  const head = `(function (${parameters.join(',')}) {`;
  return new vm.Script(`${head}${source}\n})`, {
    filename,
    columnOffset: -head.length,
    importModuleDynamically: (...request) => importers.get(filename)(...request),
  });
};

vm.SourceTextModule = class extends SourceTextModule {
  constructor(source, options) {
    const known = codeCaches.get(options.identifier);
    const isKnown = known?.source === source;
    super(source, isKnown ? { ...options, cachedData: known.codeCache } : options);
    if (!isKnown && !countsBlocks) {
      codeCaches.set(options.identifier, { source, codeCache: this.createCachedData() });
    }
  }
};

export default async (globalConfig, ...file) => {
  countsBlocks = globalConfig.collectCoverage;
  try {
    return await circus.default(globalConfig, ...file);
  } finally {
    importers.clear();
  }
};
