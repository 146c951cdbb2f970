import type { FormField } from './form-fields.ts';

/** Describes what a field accepts, in a sentence; null if it has no limits. */
export const describeLimits = ({ kind, schema }: FormField): string | null => {
  const limit = (keyword: string): number | null => {
    const value = schema[keyword];
    return typeof value === 'number' ? value : null;
  };
  if (kind === 'number' || kind === 'integer') {
    const noun = kind === 'integer' ? 'A whole number' : 'A number';
    return (
      describeRange(noun, limit('minimum'), limit('maximum')) ?? (kind === 'integer' ? `${noun}.` : null)
    );
  }
  const isText = kind === 'line' || kind === 'text';
  return isText ? describeLength(limit('minLength'), limit('maxLength')) : null;
};

const describeRange = (noun: string, min: number | null, max: number | null): string | null => {
  if (min !== null && max !== null) return `${noun} from ${min} to ${max}.`;
  if (min !== null) return `${noun} of ${min} or more.`;
  return max === null ? null : `${noun} of ${max} or less.`;
};

const describeLength = (min: number | null, max: number | null): string | null => {
  const parts = [
    ...(min !== null && min > 1 ? [`at least ${min}`] : []),
    ...(max === null ? [] : [`at most ${max}`]),
  ];
  return parts.length === 0 ? null : sentence(`${parts.join(' and ')} characters.`);
};

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
