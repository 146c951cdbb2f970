import { useRunningProject } from '../support/a-running-project.ts';
import { describeGateway } from './suites/gateway.ts';

const project = useRunningProject({ OUTBOUND_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn' });

// The other suites of the running service take longer: deep/local-service*.test.ts.
describeGateway(project);
