import { CfnScalableTarget, CfnScalingPolicy } from "aws-cdk-lib/aws-applicationautoscaling";
import { CfnAlarm } from "aws-cdk-lib/aws-cloudwatch";
import type { CfnEndpoint, CfnInferenceComponent } from "aws-cdk-lib/aws-sagemaker";
import type { Construct } from "constructs";
import type { EndpointSettings } from "./settings.js";

const serviceNamespace = "sagemaker";
/** Seconds without need before something is taken away, and before more is added again. */
const coolDown = { scaleInCooldown: 900, scaleOutCooldown: 60 };

/** Instances by how many requests each is working on; at least one. */
export function scaleInstances(
  scope: Construct,
  { name, maxInstances, requestsPerInstance }: EndpointSettings,
  endpoint: CfnEndpoint,
  variantName: string,
): void {
  const target = {
    serviceNamespace,
    resourceId: `endpoint/${name}/variant/${variantName}`,
    scalableDimension: "sagemaker:variant:DesiredInstanceCount",
  };
  const scalable = new CfnScalableTarget(scope, "Instances", { ...target, minCapacity: 1, maxCapacity: maxInstances });
  scalable.addResourceDependency(endpoint);
  const policy = new CfnScalingPolicy(scope, "InstancesByLoad", {
    ...target,
    policyName: `${name}-instances-by-load`,
    policyType: "TargetTrackingScaling",
    targetTrackingScalingPolicyConfiguration: {
      ...coolDown,
      targetValue: requestsPerInstance,
      predefinedMetricSpecification: {
        predefinedMetricType: "SageMakerVariantConcurrentRequestsPerModelHighResolution",
      },
    },
  });
  policy.addResourceDependency(scalable);
}

/** Copies of the model by how many requests each is working on, down to none; instances follow the copies. */
export function scaleCopies(
  scope: Construct,
  { name, maxInstances, requestsPerInstance }: EndpointSettings,
  component: CfnInferenceComponent,
): void {
  const componentName = component.inferenceComponentName ?? "";
  const target = {
    serviceNamespace,
    resourceId: `inference-component/${componentName}`,
    scalableDimension: "sagemaker:inference-component:DesiredCopyCount",
  };
  const scalable = new CfnScalableTarget(scope, "Copies", { ...target, minCapacity: 0, maxCapacity: maxInstances });
  scalable.addResourceDependency(component);
  const byLoad = new CfnScalingPolicy(scope, "CopiesByLoad", {
    ...target,
    policyName: `${name}-copies-by-load`,
    policyType: "TargetTrackingScaling",
    targetTrackingScalingPolicyConfiguration: {
      ...coolDown,
      targetValue: requestsPerInstance,
      predefinedMetricSpecification: {
        predefinedMetricType: "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution",
      },
    },
  });
  byLoad.addResourceDependency(scalable);
  // With no copy there is no load to measure: a request that nobody could answer brings the first back.
  const fromZero = new CfnScalingPolicy(scope, "CopiesFromZero", {
    ...target,
    policyName: `${name}-copies-from-zero`,
    policyType: "StepScaling",
    stepScalingPolicyConfiguration: {
      adjustmentType: "ChangeInCapacity",
      metricAggregationType: "Maximum",
      cooldown: 60,
      stepAdjustments: [{ metricIntervalLowerBound: 0, scalingAdjustment: 1 }],
    },
  });
  fromZero.addResourceDependency(scalable);
  new CfnAlarm(scope, "NoCapacity", {
    alarmDescription: `A request to ${name} found no copy of the model.`,
    namespace: "AWS/SageMaker",
    metricName: "NoCapacityInvocationFailures",
    dimensions: [{ name: "InferenceComponentName", value: componentName }],
    statistic: "Maximum",
    period: 30,
    evaluationPeriods: 1,
    threshold: 1,
    comparisonOperator: "GreaterThanOrEqualToThreshold",
    treatMissingData: "missing",
    alarmActions: [fromZero.ref],
  });
}

/** Instances of a bulk endpoint by what waits in its queue for each, down to none. */
export function scaleByBacklog(
  scope: Construct,
  { name, maxInstances }: EndpointSettings,
  endpoint: CfnEndpoint,
  endpointName: string,
  variantName: string,
): void {
  const target = {
    serviceNamespace,
    resourceId: `endpoint/${endpointName}/variant/${variantName}`,
    scalableDimension: "sagemaker:variant:DesiredInstanceCount",
  };
  const dimensions = [{ name: "EndpointName", value: endpointName }];
  const scalable = new CfnScalableTarget(scope, "Instances", { ...target, minCapacity: 0, maxCapacity: maxInstances });
  scalable.addResourceDependency(endpoint);
  const byBacklog = new CfnScalingPolicy(scope, "InstancesByBacklog", {
    ...target,
    policyName: `${name}-bulk-by-backlog`,
    policyType: "TargetTrackingScaling",
    targetTrackingScalingPolicyConfiguration: {
      ...coolDown,
      targetValue: 10,
      customizedMetricSpecification: {
        namespace: "AWS/SageMaker",
        metricName: "ApproximateBacklogSizePerInstance",
        statistic: "Average",
        dimensions,
      },
    },
  });
  byBacklog.addResourceDependency(scalable);
  const fromZero = new CfnScalingPolicy(scope, "InstancesFromZero", {
    ...target,
    policyName: `${name}-bulk-from-zero`,
    policyType: "StepScaling",
    stepScalingPolicyConfiguration: {
      adjustmentType: "ChangeInCapacity",
      metricAggregationType: "Average",
      cooldown: 300,
      stepAdjustments: [{ metricIntervalLowerBound: 0, scalingAdjustment: 1 }],
    },
  });
  fromZero.addResourceDependency(scalable);
  new CfnAlarm(scope, "BacklogWithoutCapacity", {
    alarmDescription: `Work waits at ${endpointName}, which has no instance.`,
    namespace: "AWS/SageMaker",
    metricName: "HasBacklogWithoutCapacity",
    dimensions,
    statistic: "Average",
    period: 60,
    evaluationPeriods: 2,
    threshold: 1,
    comparisonOperator: "GreaterThanOrEqualToThreshold",
    treatMissingData: "missing",
    alarmActions: [fromZero.ref],
  });
}
