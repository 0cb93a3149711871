import type { App } from "aws-cdk-lib";
import { BulkStack } from "./bulk-stack.js";
import { EndpointStack } from "./endpoint-stack.js";
import { ImageStack } from "./image-stack.js";
import { type EndpointSettings, readSettings } from "./settings.js";

/** The stacks that the settings ask for: the pipeline that builds images, and endpoints once there is an image and a model. */
export function makeStacks(app: App): void {
  const settings = readSettings((name) => app.node.tryGetContext(name));
  const { name, image, model, bulk } = settings;
  if (settings.repository !== undefined) new ImageStack(app, `${name}-image`, { settings });
  if (image === undefined && model === undefined) {
    if (settings.repository === undefined) {
      throw new Error(
        "Nothing to deploy: give -c repository=… for images, or -c image=… and -c model=… for an endpoint.",
      );
    }
    return;
  }
  if (image === undefined || model === undefined) {
    throw new Error("An endpoint needs both -c image=… (in ECR) and -c model=s3://….");
  }
  const complete: EndpointSettings = { ...settings, image, model };
  new EndpointStack(app, `${name}-endpoint`, { settings: complete });
  if (bulk) new BulkStack(app, `${name}-bulk`, { settings: complete });
}
