// TypeScript 7 has no JavaScript compiler API, so ts-jest cannot use it; esbuild strips the types instead.
import { transformSync } from 'esbuild';

export default {
  process(source, filename) {
    const { code } = transformSync(source, {
      loader: 'ts',
      format: 'esm',
      target: 'node24',
      sourcemap: 'inline',
      sourcefile: filename,
    });
    return { code };
  },
};
