import { type App, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { BuildSpec, ComputeType, LinuxBuildImage, Project, Source } from "aws-cdk-lib/aws-codebuild";
import { Repository, TagMutability } from "aws-cdk-lib/aws-ecr";
import type { Settings } from "./settings.js";

export interface ImageStackProps extends StackProps {
  readonly settings: Settings;
}

/** Where the buildspec lies in the sources. */
const buildSpec = "packages/server-bridge/deploy/docker/buildspec.yml";
const keptImages = 10;

/** A repository for images, and the CodeBuild project that builds them: nobody's own machine needs Docker. */
export class ImageStack extends Stack {
  constructor(scope: App, id: string, { settings, ...props }: ImageStackProps) {
    super(scope, id, { description: "Images of optio serve.", ...props });
    const [, owner = "", repo = ""] = new URL(settings.repository ?? "https://github.com//").pathname.split("/");
    const repository = new Repository(this, "Images", {
      repositoryName: settings.name.toLowerCase(),
      imageScanOnPush: true,
      // An image that was measured must not become another under the same name.
      imageTagMutability: TagMutability.IMMUTABLE,
      lifecycleRules: [{ maxImageCount: keptImages }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const project = new Project(this, "Build", {
      description: "Builds the images of optio serve and pushes them.",
      source: Source.gitHub({ owner, repo, branchOrRef: settings.revision }),
      buildSpec: BuildSpec.fromSourceFilename(buildSpec),
      timeout: Duration.hours(2),
      environment: {
        buildImage: LinuxBuildImage.STANDARD_7_0,
        computeType: ComputeType.LARGE,
        // Docker inside of the build needs it.
        privileged: true,
        environmentVariables: {
          REPOSITORY_URI: { value: repository.repositoryUri },
          DEVICE: { value: settings.accelerators > 0 ? "cuda" : "cpu" },
        },
      },
    });
    repository.grantPullPush(project);
    new CfnOutput(this, "RepositoryUri", { value: repository.repositoryUri });
    new CfnOutput(this, "ProjectName", { value: project.projectName });
  }
}
