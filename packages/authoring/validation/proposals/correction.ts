import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { type Proposed, proposeValue } from './proposal.ts';

/** A part of an expression as it is written, and what was probably meant. */
interface Correction {
  readonly written: string;
  readonly meant: string;
}

/** A problem in a text with expressions. */
export interface Finding extends Pick<Problem, 'message' | 'severity' | 'types'> {
  readonly correction?: Correction;
}

/** The part of a finding that corrects it; empty if nothing is known to be meant. */
export const correct = (written: string, meant: string | null): Pick<Finding, 'correction'> =>
  meant === null ? {} : { correction: { written, meant } };

/** Maximum number of corrections that are tried in one text, since each is checked. */
const MAX_TRIED = 5;

/**
 * Turns the findings in a text into problems. One has a proposal if its correction is exact: what is written occurs once,
 * and the corrected text has fewer findings.
 *
 * @param count - counts the findings in a corrected text
 */
export const toProblems = async (
  findings: readonly Finding[],
  text: string,
  path: string,
  count: (corrected: string) => Promise<number>,
): Promise<Problem[]> => {
  const problems: Problem[] = [];
  let tried = 0;
  for (const { correction, ...finding } of findings) {
    const corrected = correction === undefined ? null : replaceOnly(text, correction);
    let proposed: Proposed = {};
    if (corrected !== null && tried < MAX_TRIED) {
      tried += 1;
      if ((await count(corrected)) < findings.length) proposed = proposeValue(path, corrected);
    }
    problems.push({ path, ...finding, ...proposed });
  }
  return problems;
};

/** Replaces the only occurrence, which is not a part of a longer name or path; null if there is none or another one. */
const replaceOnly = (text: string, { written, meant }: Correction): string | null => {
  let found = -1;
  for (let at = text.indexOf(written); at !== -1; at = text.indexOf(written, at + 1)) {
    const end = at + written.length;
    const isInside = /^[\w$]/.test(written) && /[\w$."'`]/.test(text[at - 1] ?? '');
    if (isInside || (/\w$/.test(written) && /[\w`]/.test(text[end] ?? ''))) continue;
    if (found !== -1) return null;
    found = at;
  }
  return found === -1 ? null : `${text.slice(0, found)}${meant}${text.slice(found + written.length)}`;
};
