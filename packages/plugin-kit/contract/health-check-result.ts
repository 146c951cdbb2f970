/**
 * The result of a plugin's health check. If the check throws, the plugin is `unhealthy`. Put no secrets in `message`.
 */
export interface HealthCheckResult {
  readonly status: 'healthy' | 'warning' | 'unhealthy';
  readonly message?: string;
}
