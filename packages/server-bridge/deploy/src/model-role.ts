import { Stack } from "aws-cdk-lib";
import { Effect, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { EndpointSettings } from "./settings.js";

/** What SageMaker may do to run the container: read this model, pull this image, write its logs and metrics. Nothing else. */
export function modelRole(scope: Construct, { image, model, name }: EndpointSettings): Role {
  const { partition, account, region } = Stack.of(scope);
  const role = new Role(scope, "ModelRole", {
    assumedBy: new ServicePrincipal("sagemaker.amazonaws.com"),
    description: `Runs the containers of ${name}.`,
  });
  const allow = (actions: string[], resources: string[], conditions?: Record<string, unknown>) =>
    role.addToPolicy(
      new PolicyStatement({ effect: Effect.ALLOW, actions, resources, ...(conditions && { conditions }) }),
    );

  const { hostname: bucket, pathname } = new URL(model);
  const key = pathname.slice(1);
  allow(["s3:GetObject"], [`arn:${partition}:s3:::${bucket}/${key}${key.endsWith("/") ? "*" : ""}`]);
  allow(["s3:ListBucket"], [`arn:${partition}:s3:::${bucket}`], { StringLike: { "s3:prefix": `${key}*` } });

  const [registry = "", path = ""] = image.split(/\/(.*)/su);
  const [imageAccount = "", , , imageRegion = ""] = registry.split(".");
  const repository = path.replace(/[@:].*$/su, "");
  allow(
    ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
    [`arn:${partition}:ecr:${imageRegion}:${imageAccount}:repository/${repository}`],
  );
  // This action knows no resources.
  allow(["ecr:GetAuthorizationToken"], ["*"]);

  allow(
    ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
    [`arn:${partition}:logs:${region}:${account}:log-group:/aws/sagemaker/*`],
  );
  allow(["cloudwatch:PutMetricData"], ["*"], {
    StringEquals: { "cloudwatch:namespace": ["AWS/SageMaker", "/aws/sagemaker/Endpoints"] },
  });
  return role;
}
