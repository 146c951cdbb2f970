import { useEffect, useRef } from 'react';
import { settings } from '../../parts/page-settings.ts';

/** Work that is not saved, as the browser keeps it. */
export interface KeptDraft {
  /** The version that it was made from; null for a new workflow. */
  readonly version: number | null;
  /** The text of that version. */
  readonly base: string;
  readonly text: string;
}

/** In characters of both texts: browsers have room for about five million in all. */
const MAX_LENGTH = 1_000_000;

const draftKeyOf = (workflowId: string): string => `hookloom-draft/${settings.stage ?? ''}/${workflowId}`;

/** @param workflowId - empty for a new workflow */
export const loadDraft = (workflowId: string): KeptDraft | null => {
  try {
    const kept = JSON.parse(
      localStorage.getItem(draftKeyOf(workflowId)) ?? 'null',
    ) as Partial<KeptDraft> | null;
    return typeof kept?.text === 'string' && typeof kept.base === 'string'
      ? { version: typeof kept.version === 'number' ? kept.version : null, base: kept.base, text: kept.text }
      : null;
  } catch {
    return null;
  }
};

/**
 * Keeps work until it is saved.
 *
 * @param draft - null to forget it
 * @returns whether the browser keeps it
 */
export const keepDraft = (workflowId: string, draft: KeptDraft | null): boolean => {
  try {
    if (draft === null || draft.base.length + draft.text.length > MAX_LENGTH) {
      localStorage.removeItem(draftKeyOf(workflowId));
      return draft === null;
    }
    localStorage.setItem(draftKeyOf(workflowId), JSON.stringify(draft));
    return true;
  } catch {
    return false; // storage is full or switched off
  }
};

const DELAY = 500; // ms

/**
 * Keeps the latest work half a second after its last change, and when the page is left.
 *
 * @param base - what it was made from
 * @param draft - its text is read only when it is kept; null if there is nothing to keep
 * @returns a function that forgets it, once it is saved
 */
export const useKeptDraft = (
  workflowId: string,
  base: { readonly version: number | null; readonly text: string },
  draft: { readonly text: string } | null,
): (() => void) => {
  const pending = useRef<(() => void) | null>(null);
  const { version, text } = base;
  useEffect(() => {
    const keep = () => {
      pending.current = null;
      keepDraft(workflowId, draft === null ? null : { version, base: text, text: draft.text });
    };
    pending.current = keep;
    const timer = setTimeout(keep, DELAY);
    return () => clearTimeout(timer);
  }, [workflowId, version, text, draft]);
  useEffect(() => {
    const flush = () => pending.current?.();
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      flush();
    };
  }, []);
  return () => {
    pending.current = null;
    keepDraft(workflowId, null);
  };
};
