provider "aws" {
  region = "eu-central-1"
}

resource "aws_s3_bucket" "assets" {
  bucket_prefix = "hookloom-assets-"
}

resource "aws_sns_topic" "operators" {
  name = "operators"
}

module "hookloom" {
  source        = "../" # the folder "terraform" of a release
  stage         = "production"
  assets_bucket = aws_s3_bucket.assets.id
  alarm_topic   = aws_sns_topic.operators.arn
  dashboard     = true
}

output "webhooks" {
  value = module.hookloom.webhook_url
}
