import { type App, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { CfnEndpoint, CfnEndpointConfig } from "aws-cdk-lib/aws-sagemaker";
import { Topic } from "aws-cdk-lib/aws-sns";
import { containerModel, gpuMachineImage, startUpSeconds } from "./container-model.js";
import { modelRole } from "./model-role.js";
import { scaleByBacklog } from "./scaling.js";
import type { EndpointSettings } from "./settings.js";

export interface BulkStackProps extends StackProps {
  readonly settings: EndpointSettings;
}

const variantName = "AllTraffic";
const resultDays = 30;

/**
 * Bulk work on SageMaker's own machines: an asynchronous endpoint with a queue that scales to zero, and what a batch transform of
 * a file of lines needs: the model, the bucket, and the right to start one.
 */
export class BulkStack extends Stack {
  constructor(scope: App, id: string, { settings, ...props }: BulkStackProps) {
    super(scope, id, { description: "Decisions by optio, in bulk.", ...props });
    const { name, instanceType, accelerators, requestsPerInstance } = settings;
    const endpointName = `${name}-bulk`;
    const role = modelRole(this, settings);
    const model = containerModel(this, settings, role);
    const bucket = new Bucket(this, "Work", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [
        { expiration: Duration.days(resultDays), abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    bucket.grantReadWrite(role);
    const done = new Topic(this, "Done", { displayName: `Results of ${endpointName}`, enforceSSL: true });
    const failed = new Topic(this, "Failed", { displayName: `Failures of ${endpointName}`, enforceSSL: true });
    for (const topic of [done, failed]) topic.grantPublish(role);

    const config = new CfnEndpointConfig(this, "Config", {
      productionVariants: [
        {
          variantName,
          instanceType,
          modelName: model.attrModelName,
          initialInstanceCount: 1,
          initialVariantWeight: 1,
          ...startUpSeconds,
          ...(accelerators > 0 ? { inferenceAmiVersion: gpuMachineImage } : {}),
        },
      ],
      asyncInferenceConfig: {
        clientConfig: { maxConcurrentInvocationsPerInstance: requestsPerInstance },
        outputConfig: {
          s3OutputPath: bucket.s3UrlForObject("answers"),
          s3FailurePath: bucket.s3UrlForObject("failures"),
          notificationConfig: { successTopic: done.topicArn, errorTopic: failed.topicArn },
        },
      },
    });
    config.node.addDependency(role);
    const endpoint = new CfnEndpoint(this, "Endpoint", {
      endpointName,
      endpointConfigName: config.attrEndpointConfigName,
    });
    scaleByBacklog(this, settings, endpoint, endpointName, variantName);

    const arn = (resource: string, resourceName: string) =>
      this.formatArn({ service: "sagemaker", resource, resourceName });
    const policy = new ManagedPolicy(this, "BulkPolicy", {
      description: `Give ${endpointName} work, and start batch transforms with its model.`,
      statements: [
        new PolicyStatement({
          actions: ["sagemaker:InvokeEndpointAsync"],
          resources: [arn("endpoint", endpointName.toLowerCase())],
        }),
        new PolicyStatement({
          actions: ["sagemaker:CreateTransformJob", "sagemaker:DescribeTransformJob", "sagemaker:StopTransformJob"],
          resources: [arn("transform-job", `${name.toLowerCase()}-*`), arn("model", "*")],
        }),
        new PolicyStatement({
          actions: ["s3:GetObject", "s3:PutObject", "s3:ListBucket"],
          resources: [bucket.bucketArn, bucket.arnForObjects("*")],
        }),
      ],
    });
    new CfnOutput(this, "BulkEndpointName", { value: endpointName });
    new CfnOutput(this, "ModelName", { value: model.attrModelName });
    new CfnOutput(this, "BucketName", { value: bucket.bucketName });
    new CfnOutput(this, "BulkPolicyArn", { value: policy.managedPolicyArn });
  }
}
