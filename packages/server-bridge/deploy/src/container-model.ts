import type { Role } from "aws-cdk-lib/aws-iam";
import { CfnModel } from "aws-cdk-lib/aws-sagemaker";
import type { Construct } from "constructs";
import type { EndpointSettings } from "./settings.js";

/** Seconds that a container has to download its model, and then to answer `/ping`: a large model takes minutes for each. */
export const startUpSeconds = {
  modelDataDownloadTimeoutInSeconds: 900,
  containerStartupHealthCheckTimeoutInSeconds: 900,
};

/** The driver that images with CUDA 13 need on instances with graphics cards. */
export const gpuMachineImage = "al2-ami-sagemaker-inference-gpu-3-1";

/** The container and its model, cut off from the network: everything that it needs is in the image and in the model's folder. */
export function containerModel(
  scope: Construct,
  { image, model, accelerators }: EndpointSettings,
  role: Role,
): CfnModel {
  const resource = new CfnModel(scope, "Model", {
    executionRoleArn: role.roleArn,
    enableNetworkIsolation: true,
    primaryContainer: {
      image,
      environment: {
        SM_OPTIO_GPU_LAYERS: accelerators > 0 ? "all" : "0",
        // SageMaker ends a request after 60 seconds: what the container cannot answer by then it need not go on with.
        SM_OPTIO_TIMEOUT_MS: "58000",
      },
      ...(model.endsWith("/")
        ? { modelDataSource: { s3DataSource: { s3Uri: model, s3DataType: "S3Prefix", compressionType: "None" } } }
        : { modelDataUrl: model }),
    },
  });
  resource.node.addDependency(role);
  return resource;
}
