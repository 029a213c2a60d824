package io.lampone.coprocessor;

import com.google.protobuf.Message;
import com.google.protobuf.Service;
import io.lampone.coprocessor.core.RegionServerSettings;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.coprocessor.EndpointObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.util.StringUtils;

/**
 * Blocks services of other coprocessors on transactional tables, whatever plain clients may do:
 * they access the region itself and bypass every hook. A service that counts would count intents,
 * reserved columns and old versions; one that writes several rows together would omit rows with an
 * intent, and report them as written.
 */
public final class EndpointGuard implements EndpointObserver {

  private final Supplier<OpenRegion> region;

  EndpointGuard(Supplier<OpenRegion> region) {
    this.region = region;
  }

  static Set<String> allowed(Configuration configuration) {
    String names = RegionServerSettings.ENDPOINTS_ALLOWED.read(configuration::getTrimmed);
    return Set.copyOf(List.of(StringUtils.getTrimmedStrings(names)));
  }

  @Override
  public Message preEndpointInvocation(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Service service,
      String method,
      Message request)
      throws IOException {
    Guard.run(
        "preEndpointInvocation",
        () -> region.get().refuseService(service.getDescriptorForType().getFullName()));
    return request;
  }
}
