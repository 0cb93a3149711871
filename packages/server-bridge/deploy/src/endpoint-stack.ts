import { type App, CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { CfnEndpoint, CfnEndpointConfig, CfnInferenceComponent, type CfnModel } from "aws-cdk-lib/aws-sagemaker";
import { addAlarms } from "./alarms.js";
import { containerModel, gpuMachineImage, startUpSeconds } from "./container-model.js";
import { modelRole } from "./model-role.js";
import { scaleCopies, scaleInstances } from "./scaling.js";
import type { EndpointSettings } from "./settings.js";

export interface EndpointStackProps extends StackProps {
  readonly settings: EndpointSettings;
}

const variantName = "AllTraffic";

/** An endpoint that answers while the caller waits, its scaling, its alarms, and the right to ask it. */
export class EndpointStack extends Stack {
  constructor(scope: App, id: string, { settings, ...props }: EndpointStackProps) {
    super(scope, id, { description: "Decisions by optio, while the caller waits.", ...props });
    const role = modelRole(this, settings);
    const model = containerModel(this, settings, role);
    const { name, scaleToZero } = settings;
    const config = new CfnEndpointConfig(this, "Config", {
      productionVariants: [variantOf(settings, model)],
      // With components, the model's role is the configuration's.
      ...(scaleToZero ? { executionRoleArn: role.roleArn, enableNetworkIsolation: true } : {}),
    });
    const endpoint = new CfnEndpoint(this, "Endpoint", {
      endpointName: name,
      endpointConfigName: config.attrEndpointConfigName,
    });

    const component = scaleToZero ? this.#component(settings, model, endpoint) : undefined;
    if (component === undefined) scaleInstances(this, settings, endpoint, variantName);
    else scaleCopies(this, settings, component);
    addAlarms(this, settings, endpoint, variantName);
    this.#invokePolicy(settings);
    new CfnOutput(this, "EndpointName", { value: name });
    if (component !== undefined) new CfnOutput(this, "InferenceComponentName", { value: componentName(name) });
  }

  #component(settings: EndpointSettings, model: CfnModel, endpoint: CfnEndpoint): CfnInferenceComponent {
    const { name, cpusPerCopy, memoryMbPerCopy, accelerators } = settings;
    const component = new CfnInferenceComponent(this, "Component", {
      inferenceComponentName: componentName(name),
      endpointName: name,
      variantName,
      specification: {
        modelName: model.attrModelName,
        computeResourceRequirements: {
          numberOfCpuCoresRequired: cpusPerCopy,
          minMemoryRequiredInMb: memoryMbPerCopy,
          ...(accelerators > 0 ? { numberOfAcceleratorDevicesRequired: accelerators } : {}),
        },
        startupParameters: startUpSeconds,
      },
      runtimeConfig: { copyCount: 1 },
    });
    component.addResourceDependency(endpoint);
    return component;
  }

  /** For whoever asks: attach it to their role. */
  #invokePolicy({ name, scaleToZero }: EndpointSettings): void {
    const arn = (resource: string) =>
      this.formatArn({
        service: "sagemaker",
        resource,
        resourceName: resource === "endpoint" ? name.toLowerCase() : componentName(name),
      });
    const policy = new ManagedPolicy(this, "InvokePolicy", {
      description: `Ask ${name} for decisions.`,
      statements: [
        new PolicyStatement({
          actions: ["sagemaker:InvokeEndpoint"],
          resources: [arn("endpoint"), ...(scaleToZero ? [arn("inference-component")] : [])],
        }),
      ],
    });
    new CfnOutput(this, "InvokePolicyArn", { value: policy.managedPolicyArn });
  }
}

function componentName(name: string): string {
  return `${name}-model`;
}

function variantOf(settings: EndpointSettings, model: CfnModel): CfnEndpointConfig.ProductionVariantProperty {
  const { instanceType, maxInstances, accelerators, scaleToZero } = settings;
  const common = {
    variantName,
    instanceType,
    // A container works on one request at a time: the next goes to whoever has least to do.
    routingConfig: { routingStrategy: "LEAST_OUTSTANDING_REQUESTS" },
    ...(accelerators > 0 ? { inferenceAmiVersion: gpuMachineImage } : {}),
  };
  if (scaleToZero) {
    return {
      ...common,
      initialInstanceCount: 1,
      managedInstanceScaling: { status: "ENABLED", minInstanceCount: 0, maxInstanceCount: maxInstances },
    };
  }
  return {
    ...common,
    ...startUpSeconds,
    modelName: model.attrModelName,
    initialInstanceCount: 1,
    initialVariantWeight: 1,
  };
}
