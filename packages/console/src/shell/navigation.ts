import { useEffect, useRef } from 'react';

/** Whether the latest change of the address went back or forward in the history. */
let isReturn = false;
addEventListener('popstate', () => {
  isReturn = true;
});
addEventListener('pushState', () => {
  isReturn = false;
});

/** Moves the focus to the heading of the view that is shown. @returns false if it has none yet */
export const focusHeading = (): boolean => {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return false;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
};

/**
 * Makes a navigation between views behave as one between pages: the new view begins at its top, except after going back, and
 * its heading gets the focus, so that screen readers read it and Tab continues from it.
 *
 * @param location - the path of the view, without its query
 */
export const useNavigationFocus = (location: string): void => {
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current === location) return; // the browser has loaded the page
    shown.current = location;
    if (!isReturn) scrollTo(0, 0);
    if (focusHeading()) return;
    const observer = new MutationObserver(() => {
      if (focusHeading()) observer.disconnect();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    // If the reader moves the focus before the heading is there, it stays where they put it.
    const stop = () => observer.disconnect();
    addEventListener('focusin', stop, { once: true });
    return () => {
      removeEventListener('focusin', stop);
      stop();
    };
  }, [location]);
};

/** Moves the focus to the heading when what had it is removed, such as a row of a list: it would be lost. */
export const useLostFocus = (): void => {
  useEffect(() => {
    let last: Element | null = null;
    const remember = ({ target }: FocusEvent) => {
      last = target instanceof Element ? target : null;
    };
    const observer = new MutationObserver(() => {
      const isLost = last?.isConnected === false && document.activeElement === document.body;
      if (isLost && focusHeading()) last = null;
    });
    addEventListener('focusin', remember);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, []);
};
