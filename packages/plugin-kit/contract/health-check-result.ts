/** Result of a plugin's health check. A throw counts as `unhealthy`. Put no secrets in `message`. */
export interface HealthCheckResult {
  readonly status: 'healthy' | 'warning' | 'unhealthy';
  readonly message?: string;
}
