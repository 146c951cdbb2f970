import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 688px)');

const subscribe = (onChange: () => void): (() => void) => {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
};

/** Whether the page is as narrow as a phone, so that tables show only their main columns. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
