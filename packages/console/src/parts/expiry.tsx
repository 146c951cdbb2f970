import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import { TextField } from './form-fields.tsx';
import { Time } from './time.tsx';

const WEEK_MS = 7 * 86_400_000;

/** When something expires: marked from a week before. @param at - ISO 8601; undefined if it is not known */
export const Expires = ({ at }: { readonly at: string | undefined }): ReactNode => {
  if (at === undefined) return '–';
  const leftMs = Date.parse(at) - Date.now();
  if (leftMs > WEEK_MS) return <Time at={at} />;
  return (
    <StatusIndicator type={leftMs > 0 ? 'warning' : 'error'}>
      <span className="any-length">
        <Time at={at} />
      </span>
    </StatusIndicator>
  );
};

interface ExpiresFieldProps {
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
}

export const ExpiresField = ({ value, error, onChange }: ExpiresFieldProps): ReactNode => (
  <TextField
    label="Expires"
    description="A date such as 2027-01-31, if it is known: a notice comes a week before, and on the day."
    errorText={error}
    stretch={true}
    spellcheck={false}
    value={value}
    onChange={onChange}
  />
);

/** The field of a body; none if nothing was typed. */
export const expiryIn = (text: string): { readonly expiresAt?: string } =>
  text.trim() === '' ? {} : { expiresAt: text.trim() };
