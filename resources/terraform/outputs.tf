output "webhook_url" {
  description = "Base address of every webhook"
  value       = aws_cloudformation_stack.stage.outputs["WebhookUrl"]
}

output "api_url" {
  description = "URL of the HTTP API, without a path"
  value       = aws_cloudformation_stack.stage.outputs["HttpApiUrl"]
}

output "api_id" {
  description = "Id of the HTTP API, as policies name it"
  value       = aws_cloudformation_stack.stage.outputs["HttpApiId"]
}
