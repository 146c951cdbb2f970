import { compile } from 'css-select';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';

/** Parses a CSS selector as the node does that uses it. */
export const checkSelector = (selector: string, path: string): Problem[] => {
  if (selector.includes('{{')) return [];
  try {
    compile(selector);
    return [];
  } catch {
    const hint = /^\.?\/\//.test(selector)
      ? 'XPath is not supported'
      : /:(?:eq|first|last|gt|lt|contains)\b/.test(selector)
        ? 'the n-th element is :nth-of-type(n), the first one comes without "all"'
        : 'such as ul.menu > li a';
    return [{ path, message: `is not a CSS selector of a supported kind: ${hint}` }];
  }
};
