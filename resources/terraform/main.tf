# A stage of Hookloom: the template of a release, with the zips of its functions in a bucket of yours.

terraform {
  required_version = ">= 1.3"
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 5.0" }
  }
}

locals {
  release  = coalesce(var.release, "${path.module}/..")
  template = "${local.release}/template.json"
  zips     = fileset("${local.release}/functions", "*.zip")
  # Other code is at other keys, from which the functions are updated.
  hash   = substr(sha256(join("", [for zip in local.zips : filesha256("${local.release}/functions/${zip}")])), 0, 16)
  prefix = "hookloom/${local.hash}/"
}

data "aws_s3_bucket" "assets" {
  bucket = var.assets_bucket
}

resource "aws_s3_object" "function" {
  for_each    = local.zips
  bucket      = data.aws_s3_bucket.assets.id
  key         = "${local.prefix}${each.value}"
  source      = "${local.release}/functions/${each.value}"
  source_hash = filesha256("${local.release}/functions/${each.value}")

  # Those of the last release go when the stack has left them: a failed update rolls back to them.
  lifecycle { create_before_destroy = true }
}

resource "aws_s3_object" "template" {
  bucket = data.aws_s3_bucket.assets.id
  key    = "hookloom/${filesha256(local.template)}.json"
  source = local.template

  lifecycle { create_before_destroy = true }
}

resource "aws_cloudformation_stack" "stage" {
  name         = "hookloom-${var.stage}" # by which the command line finds the stage
  template_url = "https://${data.aws_s3_bucket.assets.bucket_regional_domain_name}/${aws_s3_object.template.key}"
  capabilities = ["CAPABILITY_NAMED_IAM"]
  tags         = var.tags

  parameters = {
    Stage              = var.stage
    AssetsBucket       = var.assets_bucket
    AssetsPrefix       = local.prefix
    AlarmTopic         = var.alarm_topic
    Dashboard          = tostring(var.dashboard)
    Tracing            = tostring(var.tracing)
    Traces             = var.traces
    TraceRatio         = var.trace_ratio
    TraceHeaders       = var.trace_headers
    EventBus           = var.event_bus
    KmsKey             = var.kms_key
    DeletionProtection = tostring(var.deletion_protection)
  }

  timeouts {
    create = "60m"
    update = "60m"
    delete = "60m"
  }

  depends_on = [aws_s3_object.function]
}
