import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { asksForSignIn, SignInLink } from '../../parts/sign-in-link.tsx';
import { HealthStatus } from '../plugins/health-status.tsx';
import { findHealth } from './health-of.ts';

type Report = Answer<'GET /api/admin/plugins/health'>;

interface CredentialHealthProps {
  readonly credentialId: string;
  /** The health report, which takes longer than the credentials. */
  readonly report: UseQueryResult<Report, Error>;
}

/** The health of a credential for calling out, once it is known. */
export const CredentialHealth = ({ credentialId, report }: CredentialHealthProps): ReactNode => {
  const known = findHealth(report, credentialId);
  switch (known.is) {
    case 'loading':
      return <StatusIndicator type="loading">Loading</StatusIndicator>;
    case 'unknown':
      return <StatusIndicator type="warning">{`Not known: ${known.reason}`}</StatusIndicator>;
    case 'unused':
      return 'No enabled workflow uses it';
    default:
      return (
        <>
          <HealthStatus status={known.health.status} message={known.health.message} />
          {asksForSignIn(known.health.message) && <SignInLink credentialId={credentialId} />}
        </>
      );
  }
};
