import { glob } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jestExpect as expect } from '@jest/expect';
import { commonTokens, declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { DryRunStatus, TestStatus, toMutantRunResult } from '@stryker-mutator/api/test-runner';
import * as circus from 'jest-circus';
import { setGlobals } from '../../tests/support/runner/jest-globals.js';

/**
 * Stryker's runner for the tests here: loads the files of tests once in a process, and runs those that reach a changed place
 * for each change, which takes milliseconds where Jest takes seconds to begin.
 */
class MutantRunner {
  #sources;
  #patterns;
  /** The tests by id, each with the block of its file. */
  #tests = new Map();
  #roots = [];
  #isMeasuring = false;
  #bails = false;

  constructor({ sources, tests }) {
    this.#sources = sources;
    this.#patterns = tests;
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    loadFromSandbox();
    circus.addEventHandler((event) => this.#observe(event));
    for (const name of ['uncaughtException', 'unhandledRejection']) {
      process.on(name, (error) => circus.getState().currentlyRunningTest?.errors.push([error]));
    }
    // Now, rather than in the first test that imports it dynamically: module-level code would count as reached by that test.
    for (const file of this.#sources) await import(pathToFileURL(resolve(file)).href);
    for await (const file of glob(this.#patterns)) await this.#load(resolve(file));
  }

  async #load(file) {
    circus.resetState();
    setGlobals({ ...circus, expect });
    await import(pathToFileURL(file).href);
    const root = circus.getState().rootDescribeBlock;
    this.#roots.push(root);
    for (const test of testsOf(root)) {
      const id = `${file} ${nameOf(test)} ${this.#tests.size}`;
      this.#tests.set(id, { id, test, root, mode: test.mode });
    }
  }

  async dryRun() {
    this.#isMeasuring = true;
    await this.#run();
    this.#isMeasuring = false;
    return this.#results([...this.#tests.values()], instrumented().mutantCoverage);
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
    const state = instrumented();
    const limit = hitLimit && hitLimit / 10; // ten times as often as without the change, and not a hundred times
    state.hitCount = limit === undefined ? undefined : 0;
    state.hitLimit = limit;
    state.activeMutant = activeMutant.id;
    this.#bails = !disableBail;
    const tests = testFilter?.map((id) => this.#tests.get(id)) ?? [...this.#tests.values()];
    const slow = new Set(tests.filter(({ test }) => test.duration > SLOW_MS));
    await this.#run(new Set(tests).difference(slow));
    if (disableBail || !tests.some(hasFailed)) await this.#run(slow);
    state.activeMutant = undefined;
    if (state.hitCount > limit) return { status: 'timeout', reason: 'the change loops' };
    return toMutantRunResult(this.#results(tests));
  }

  async #run(chosen) {
    for (const entry of this.#tests.values()) {
      const { test, mode } = entry;
      Object.assign(test, { errors: [], status: null, invocations: 0 });
      test.mode = chosen === undefined || chosen.has(entry) ? mode : 'skip';
    }
    const roots = chosen === undefined ? this.#roots : new Set([...chosen].map(({ root }) => root));
    for (const root of roots) {
      circus.resetState();
      Object.assign(circus.getState(), {
        rootDescribeBlock: root,
        currentDescribeBlock: root,
        testTimeout: this.#isMeasuring ? 60_000 : HANGING_MS,
      });
      await circus.run();
      if (this.#bails && testsOf(root).some(({ errors }) => errors.length > 0)) return;
    }
  }

  #observe({ name, test }) {
    if (name === 'test_start' && this.#isMeasuring) {
      instrumented().currentTestId = [...this.#tests.values()].find((entry) => entry.test === test)?.id;
    }
    if (name !== 'test_done') return;
    instrumented().currentTestId = undefined;
    if (!this.#bails || test.errors.length === 0) return;
    for (const other of this.#tests.values()) other.test.mode = 'skip';
  }

  #results(entries, mutantCoverage) {
    const tests = entries.map(({ id, test }) => ({
      id,
      name: nameOf(test),
      timeSpentMs: test.duration ?? 0,
      ...(test.errors.length > 0
        ? { status: TestStatus.Failed, failureMessage: String(test.errors.flat().find(Boolean)?.stack) }
        : { status: test.status === 'done' ? TestStatus.Success : TestStatus.Skipped }),
    }));
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }
}

/** A test that takes so long after a change hangs. It fails then: when Stryker ends it, all files have to be loaded again. */
const HANGING_MS = 15_000; // tests take milliseconds: on a busy machine, a slow one must not count as one that fails

/** Tests that take longer than that run after the others: quick ones notice most changes. */
const SLOW_MS = 100;

/** What Stryker's instrumented code reads and writes. */
const instrumented = () => {
  globalThis.__stryker__ ??= {};
  return globalThis.__stryker__;
};

const hasFailed = ({ test }) => test.errors.length > 0;

const testsOf = (block) =>
  block.children.flatMap((child) => (child.type === 'test' ? [child] : testsOf(child)));

const nameOf = ({ name, parent }) => (parent.parent === undefined ? name : `${nameOf(parent)} ${name}`);

/** Packages by name are links out of Stryker's copy of the project, where nothing is changed. */
const loadFromSandbox = () => {
  const inSandbox = (path) => `${pathToFileURL(process.cwd())}/packages/${path}`;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === '@jest/globals') {
        return {
          url: new URL('../../tests/support/runner/jest-globals.js', import.meta.url).href,
          shortCircuit: true,
        };
      }
      const resolved = next(specifier, context);
      const [, path] = /^file:.*?\/packages\/(.*)$/.exec(resolved.url) ?? [];
      return path === undefined || resolved.url.includes('/node_modules/')
        ? resolved
        : { ...resolved, url: inSandbox(path) };
    },
  });
};

const createMutantRunner = (options) => new MutantRunner(options);
createMutantRunner.inject = [commonTokens.options];

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'loaded-once', createMutantRunner),
];
