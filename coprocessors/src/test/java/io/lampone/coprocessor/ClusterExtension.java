package io.lampone.coprocessor;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One cluster for each test class. */
public final class ClusterExtension implements ParameterResolver {

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TinyCluster.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getStore(Namespace.create(ClusterExtension.class))
        .getOrComputeIfAbsent(
            TinyCluster.class,
            type -> {
              try {
                return new TinyCluster();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
  }
}
