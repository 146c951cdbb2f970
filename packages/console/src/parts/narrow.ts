import { useSyncExternalStore } from 'react';

const useMedia = (query: MediaQueryList): boolean =>
  useSyncExternalStore(
    (onChange) => {
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
    () => query.matches,
  );

const narrow = matchMedia('(max-width: 688px)');

/** Whether the page is as narrow as a phone, so that tables show only their main columns. */
export const useIsNarrow = (): boolean => useMedia(narrow);

const stacked = matchMedia('(max-width: 1279px)');

/** Whether tables of many columns would be wider than the page beside the navigation, so that each row is one stack. */
export const useIsStacked = (): boolean => useMedia(stacked);
