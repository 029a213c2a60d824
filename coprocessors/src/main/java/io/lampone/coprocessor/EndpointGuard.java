package io.lampone.coprocessor;

import com.google.protobuf.Message;
import com.google.protobuf.Service;
import java.io.IOException;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.coprocessor.EndpointObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;

/**
 * Keeps services of other coprocessors from transactional tables, whatever plain clients may do:
 * they work on the region itself, past every hook. One that counts would count intents, reserved
 * columns and old versions; one that writes rows together would leave out those that an intent
 * stands in, and say that it has written them.
 */
public final class EndpointGuard implements EndpointObserver {

  /**
   * Property of the services that are allowed all the same, because they touch no row: full names
   * of protobuf, separated by commas.
   */
  public static final String ALLOWED = "lampone.region.endpoints.allowed";

  /** Default of {@link #ALLOWED}: keeps the small side of Apache Phoenix's hash joins in memory. */
  public static final String DEFAULT_ALLOWED = "ServerCachingService";

  private final Supplier<OpenRegion> region;

  EndpointGuard(Supplier<OpenRegion> region) {
    this.region = region;
  }

  static Set<String> allowed(Configuration configuration) {
    return Set.of(configuration.getTrimmedStrings(ALLOWED, DEFAULT_ALLOWED));
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
