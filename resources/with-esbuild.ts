import { stop, transform } from 'esbuild';

/**
 * Does something with esbuild's process, and once more if that process has ended meanwhile: signals to the process group
 * reach it too. esbuild itself uses a dead process until `stop` is called.
 *
 * @param forget - drops the contexts of the dead process
 */
export const withEsbuild = async <T>(act: () => Promise<T>, forget: () => void = () => {}): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Error && 'errors' in error) throw error; // the code is the cause
    // Not if another caller has replaced it.
    const isRunning = await transform('').then(
      () => true,
      () => false,
    );
    if (!isRunning) await stop();
    forget();
    return act();
  }
};
