import { readFileSync } from "node:fs";
import { App } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { makeStacks } from "./stacks.js";

const image = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/optio@sha256:0123";
const model = "s3://models.example/optio/small/";

/** The template of the stack whose name ends so. */
function template(context: Record<string, unknown>, ending: string): Template {
  const app = new App({ context });
  makeStacks(app);
  const stack = app.node.children.find(({ node }) => node.id.endsWith(`-${ending}`));
  if (stack === undefined) throw new Error(`There is no stack ${ending}.`);
  return Template.fromStack(stack as Parameters<typeof Template.fromStack>[0]);
}

const statements = (found: Template): { readonly Action: unknown; readonly Resource: unknown }[] =>
  Object.values(found.findResources("AWS::IAM::Policy")).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );

describe("an endpoint", () => {
  it("runs one isolated container with the model, and keeps at least one instance", () => {
    const found = template({ image, model }, "endpoint");
    found.hasResourceProperties("AWS::SageMaker::Model", {
      EnableNetworkIsolation: true,
      PrimaryContainer: {
        Image: image,
        ModelDataSource: { S3DataSource: { S3Uri: model, S3DataType: "S3Prefix", CompressionType: "None" } },
        Environment: { SM_OPTIO_GPU_LAYERS: "0", SM_OPTIO_TIMEOUT_MS: "58000" },
      },
    });
    found.hasResourceProperties("AWS::SageMaker::EndpointConfig", {
      ProductionVariants: [
        Match.objectLike({
          InstanceType: "ml.c7i.2xlarge",
          InitialInstanceCount: 1,
          ContainerStartupHealthCheckTimeoutInSeconds: 900,
          ModelDataDownloadTimeoutInSeconds: 900,
          RoutingConfig: { RoutingStrategy: "LEAST_OUTSTANDING_REQUESTS" },
          InferenceAmiVersion: Match.absent(),
        }),
      ],
    });
    found.hasResourceProperties("AWS::ApplicationAutoScaling::ScalableTarget", {
      MinCapacity: 1,
      MaxCapacity: 2,
      ResourceId: "endpoint/optio-decisions/variant/AllTraffic",
    });
    found.resourceCountIs("AWS::SageMaker::InferenceComponent", 0);
  });

  it("takes a packed model as well", () => {
    const found = template({ image, model: "s3://models.example/small/model.tar.gz" }, "endpoint");
    found.hasResourceProperties("AWS::SageMaker::Model", {
      PrimaryContainer: { ModelDataUrl: "s3://models.example/small/model.tar.gz", ModelDataSource: Match.absent() },
    });
  });

  it("may do nothing but run the container", () => {
    const found = template({ image, model }, "endpoint");
    const allowed = statements(found).flatMap(({ Action }) => Action);
    expect([...new Set(allowed)].sort()).toEqual([
      "cloudwatch:PutMetricData",
      "ecr:BatchCheckLayerAvailability",
      "ecr:BatchGetImage",
      "ecr:GetAuthorizationToken",
      "ecr:GetDownloadUrlForLayer",
      "logs:CreateLogGroup",
      "logs:CreateLogStream",
      "logs:DescribeLogStreams",
      "logs:PutLogEvents",
      "s3:GetObject",
      "s3:ListBucket",
    ]);
    const broad = statements(found).filter(({ Resource }) => Resource === "*");
    // These two know no resources.
    expect(broad.map(({ Action }) => Action)).toEqual(["ecr:GetAuthorizationToken", "cloudwatch:PutMetricData"]);
    found.hasResourceProperties("AWS::IAM::ManagedPolicy", {
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Action: "sagemaker:InvokeEndpoint", Effect: "Allow", Resource: Match.not("*") }),
        ],
      },
    });
  });

  it("asks for graphics cards with the driver that the image needs", () => {
    const found = template({ image, model, instanceType: "ml.g6.2xlarge", accelerators: "1" }, "endpoint");
    found.hasResourceProperties("AWS::SageMaker::EndpointConfig", {
      ProductionVariants: [Match.objectLike({ InferenceAmiVersion: "al2-ami-sagemaker-inference-gpu-3-1" })],
    });
    found.hasResourceProperties("AWS::SageMaker::Model", {
      PrimaryContainer: { Environment: { SM_OPTIO_GPU_LAYERS: "all" } },
    });
  });

  it("scales to zero and back by a component", () => {
    const found = template({ image, model, scaleToZero: "true", maxInstances: "3" }, "endpoint");
    found.hasResourceProperties("AWS::SageMaker::EndpointConfig", {
      EnableNetworkIsolation: true,
      ProductionVariants: [
        Match.objectLike({
          ModelName: Match.absent(),
          ManagedInstanceScaling: { Status: "ENABLED", MinInstanceCount: 0, MaxInstanceCount: 3 },
        }),
      ],
    });
    found.hasResourceProperties("AWS::SageMaker::InferenceComponent", {
      InferenceComponentName: "optio-decisions-model",
      Specification: { ComputeResourceRequirements: { NumberOfCpuCoresRequired: 6, MinMemoryRequiredInMb: 8192 } },
    });
    found.hasResourceProperties("AWS::ApplicationAutoScaling::ScalableTarget", {
      MinCapacity: 0,
      MaxCapacity: 3,
      ScalableDimension: "sagemaker:inference-component:DesiredCopyCount",
    });
    found.hasResourceProperties("AWS::CloudWatch::Alarm", {
      MetricName: "NoCapacityInvocationFailures",
      AlarmActions: [Match.anyValue()],
    });
    found.hasResourceProperties("AWS::ApplicationAutoScaling::ScalingPolicy", { PolicyType: "StepScaling" });
    found.hasOutput("InferenceComponentName", { Value: "optio-decisions-model" });
  });

  it("rings when it fails, is slow or runs full, and tells whoever was named", () => {
    const found = template({ image, model, alarmEmail: "ops@example.org", latencyAlarmMs: "2000" }, "endpoint");
    const alarms = Object.values(found.findResources("AWS::CloudWatch::Alarm"));
    expect(alarms.map(({ Properties }) => Properties.MetricName).sort()).toEqual([
      "DiskUtilization",
      "Invocation5XXErrors",
      "ModelLatency",
    ]);
    found.hasResourceProperties("AWS::CloudWatch::Alarm", { MetricName: "ModelLatency", Threshold: 2_000_000 });
    found.hasResourceProperties("AWS::SNS::Subscription", { Protocol: "email", Endpoint: "ops@example.org" });
  });
});

describe("bulk work", () => {
  const context = { image, model, bulk: "true" };
  it("has a queue whose machines go to zero and come back for work", () => {
    const found = template(context, "bulk");
    found.hasResourceProperties("AWS::SageMaker::EndpointConfig", {
      AsyncInferenceConfig: {
        ClientConfig: { MaxConcurrentInvocationsPerInstance: 4 },
        OutputConfig: { S3OutputPath: Match.anyValue(), S3FailurePath: Match.anyValue() },
      },
    });
    found.hasResourceProperties("AWS::ApplicationAutoScaling::ScalableTarget", { MinCapacity: 0 });
    found.hasResourceProperties("AWS::CloudWatch::Alarm", { MetricName: "HasBacklogWithoutCapacity" });
  });

  it("keeps its bucket to itself, and its results for a month", () => {
    const found = template(context, "bulk");
    found.hasResourceProperties("AWS::S3::Bucket", {
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      LifecycleConfiguration: { Rules: [Match.objectLike({ ExpirationInDays: 30 })] },
    });
    found.hasResourceProperties("AWS::IAM::ManagedPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: "sagemaker:InvokeEndpointAsync" }),
          Match.objectLike({ Action: Match.arrayWith(["sagemaker:CreateTransformJob"]) }),
        ]),
      },
    });
  });
});

describe("the pipeline of images", () => {
  it("builds what the repository has, into one whose tags stay what they are", () => {
    const found = template(
      { repository: "https://github.com/example/optio", revision: "v1", accelerators: "1" },
      "image",
    );
    found.hasResourceProperties("AWS::ECR::Repository", {
      ImageTagMutability: "IMMUTABLE",
      ImageScanningConfiguration: { ScanOnPush: true },
    });
    found.hasResourceProperties("AWS::CodeBuild::Project", {
      Source: { Type: "GITHUB", BuildSpec: "packages/server-bridge/deploy/docker/buildspec.yml" },
      SourceVersion: "v1",
      Environment: {
        PrivilegedMode: true,
        EnvironmentVariables: Match.arrayWith([Match.objectLike({ Name: "DEVICE", Value: "cuda" })]),
      },
    });
    for (const file of ["buildspec.yml", "Dockerfile.cpu", "Dockerfile.cuda"]) {
      expect(readFileSync(new URL(`../docker/${file}`, import.meta.url), "utf8")).not.toBe("");
    }
  });
});

describe("settings", () => {
  it.each([
    [{}, /Nothing to deploy/u],
    [{ image }, /both/u],
    [{ model }, /both/u],
    [{ image: "optio:latest", model }, /image in ECR/u],
    [{ image, model: "https://example.org/model" }, /s3:/u],
    [{ image, model, maxInstances: "0" }, /maxInstances/u],
    [{ image, model, instanceType: "c7i.2xlarge" }, /instance type/u],
    [{ image, model, alarmEmail: "nobody" }, /alarmEmail/u],
  ])("are checked: %j", (context, message) => {
    expect(() => makeStacks(new App({ context }))).toThrow(message);
  });
});
