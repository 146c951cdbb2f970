import DateRangePicker, { type DateRangePickerProps } from '@cloudscape-design/components/date-range-picker';
import FormField from '@cloudscape-design/components/form-field';
import type { ReactNode } from 'react';
import { type PeriodState, parseLast } from './period.ts';

interface PeriodFieldProps {
  readonly label: string;
  readonly value: PeriodState;
  readonly onChange: (value: PeriodState) => void;
}

const OPTIONS = [
  { key: '15-minute', amount: 15, unit: 'minute', type: 'relative' },
  { key: '1-hour', amount: 1, unit: 'hour', type: 'relative' },
  { key: '24-hour', amount: 24, unit: 'hour', type: 'relative' },
  { key: '7-day', amount: 7, unit: 'day', type: 'relative' },
  { key: '30-day', amount: 30, unit: 'day', type: 'relative' },
] as const;

const FIRST = '2000-01-01T00:00:00Z';

const toPickerValue = ({ last, from, to }: PeriodState): DateRangePickerProps.Value | null => {
  const relative = parseLast(last);
  if (relative !== null) return { ...relative, key: last, type: 'relative' };
  if (from === '' && to === '') return null;
  return { type: 'absolute', startDate: from || FIRST, endDate: to || new Date().toISOString() };
};

const validatePeriod: DateRangePickerProps.ValidationFunction = (value) => {
  if (value?.type === 'relative' && !(value.amount >= 1 && parseLast(`${value.amount}-${value.unit}`)))
    return { valid: false, errorMessage: 'Enter a whole number, at least 1.' };
  if (value?.type !== 'absolute') return { valid: true };
  const [from, to] = [Date.parse(value.startDate), Date.parse(value.endDate)];
  if (Number.isNaN(from) || Number.isNaN(to)) return { valid: false, errorMessage: 'Enter both dates.' };
  return from <= to
    ? { valid: true }
    : { valid: false, errorMessage: 'The end must not be before the start.' };
};

/** A period: the last so much, or between two instants in the zone of the reader. */
export const PeriodField = ({ label, value, onChange }: PeriodFieldProps): ReactNode => (
  <FormField label={label}>
    <DateRangePicker
      value={toPickerValue(value)}
      relativeOptions={OPTIONS}
      customRelativeRangeUnits={['minute', 'hour', 'day', 'week', 'month']}
      isValidRange={validatePeriod}
      absoluteFormat="long-localized"
      timeInputFormat="hh:mm:ss"
      placeholder="Any time"
      expandToViewport={true}
      onChange={({ detail: { value: chosen } }) => {
        if (chosen === null) onChange({ last: '', from: '', to: '' });
        else if (chosen.type === 'relative')
          onChange({ last: `${chosen.amount}-${chosen.unit}`, from: '', to: '' });
        else {
          const [from, to] = [new Date(chosen.startDate), new Date(chosen.endDate)];
          onChange({ last: '', from: from.toISOString(), to: to.toISOString() });
        }
      }}
    />
  </FormField>
);
