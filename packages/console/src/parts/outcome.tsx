import Alert, { type AlertProps } from '@cloudscape-design/components/alert';
import { type ReactNode, useEffect, useState } from 'react';

/** Some screen readers read a live region only if it was there before its text. */
const FIRST_EMPTY_MS = 100;

type OutcomeProps = Pick<AlertProps, 'type' | 'header' | 'dismissible' | 'onDismiss' | 'children'>;

/** What came of a change, shown and announced to screen readers. */
export const Outcome = (props: OutcomeProps): ReactNode => {
  const [isFilled, setFilled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setFilled(true), FIRST_EMPTY_MS);
    return () => clearTimeout(timer);
  }, []);
  return <div role="status">{isFilled && <Alert type="success" {...props} />}</div>;
};
