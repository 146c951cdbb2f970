variable "assets_bucket" {
  description = "Name of a bucket in the region of the stage, for the zips and the template of the release"
  type        = string
}

variable "stage" {
  description = "Name of the stage, in the names of all its tables, functions and roles"
  type        = string
  default     = "production"
}

variable "alarm_topic" {
  description = "ARN of an SNS topic in this region: creates alarms that notify it, $0.10 a month each"
  type        = string
  default     = "none"
}

variable "dashboard" {
  description = "A dashboard in CloudWatch, $3 a month"
  type        = bool
  default     = false
}

variable "tracing" {
  description = "X-Ray traces all functions"
  type        = bool
  default     = false
}

variable "traces" {
  description = "URL of a collector that takes traces of executions by OTLP over HTTP, with its path"
  type        = string
  default     = "none"
}

variable "trace_ratio" {
  description = "How many of the traces that begin in the service are sent, 0 to 1"
  type        = string
  default     = "1"
}

variable "trace_headers" {
  description = "Name of the secret with the headers of the collector: see docs/traces.md"
  type        = string
  default     = "none"
}

variable "event_bus" {
  description = "ARN of an EventBridge bus in this region, for an event when an execution ends; none writes them to the log"
  type        = string
  default     = "none"
}

variable "kms_key" {
  description = "ARN of a key that encrypts tables, bucket, queues and logs; none uses AWS's keys"
  type        = string
  default     = "none"
}

variable "deletion_protection" {
  description = "Tables can be deleted only after this is turned off"
  type        = bool
  default     = false
}

variable "tags" {
  description = "Tags of the stack, which CloudFormation gives to its resources"
  type        = map(string)
  default     = {}
}

variable "release" {
  description = "Folder of a release, with template.json and functions/; by default the one that this module is in"
  type        = string
  default     = null
}
