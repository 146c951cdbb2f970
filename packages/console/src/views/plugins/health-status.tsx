import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import { MarkedText } from '../../parts/marked-text.tsx';

const LOOKS: Readonly<Record<string, readonly [StatusIndicatorProps.Type, string]>> = {
  healthy: ['success', 'Healthy'],
  warning: ['warning', 'Warning'],
  degraded: ['warning', 'Degraded'],
  unhealthy: ['error', 'Unhealthy'],
  disabled: ['stopped', 'Disabled'],
  untested: ['info', 'Has no test'],
  unknown: ['pending', 'Not known yet'],
};

interface HealthStatusProps {
  /** Of a report, a check, a plugin or a credential. */
  readonly status: string;
  readonly message?: string | null | undefined;
}

/** A status of health, with its reason on a line of its own. */
export const HealthStatus = ({ status, message }: HealthStatusProps): ReactNode => {
  const [type, text] = LOOKS[status] ?? ['info', status];
  return (
    <>
      <StatusIndicator type={type}>{text}</StatusIndicator>
      {message && (
        <div className="any-text">
          <MarkedText text={message} />
        </div>
      )}
    </>
  );
};
