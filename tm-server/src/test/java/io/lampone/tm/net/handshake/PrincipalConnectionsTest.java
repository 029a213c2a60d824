package io.lampone.tm.net.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.net.handshake.PrincipalConnections.Account;
import io.lampone.tm.security.Principal;
import io.lampone.tm.security.Principal.Role;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How connections are counted; SecureServerTest has the refusals. */
final class PrincipalConnectionsTest {

  private final PrincipalConnections connections =
      new PrincipalConnections(AdmissionSettings.DEFAULT.withConnections(3, 2), () -> {});

  @Test
  void aClientIsCountedFromAllAddressesTogether() {
    Principal shop = principal("shop", Role.CLIENT);
    for (String address : List.of("10.0.0.1", "10.0.0.2", "10.0.0.1")) {
      assertThat(take(shop, address)).isTrue();
    }
    assertThat(take(shop, "10.0.0.3")).isFalse();
    assertThat(connections.account(shop, "10.0.0.3").problem())
        .contains("lampone.tm.admission.connections.of.principal", "limit=3");
    assertThat(take(principal("books", Role.CLIENT), "10.0.0.1")).isTrue();
    connections.remove(connections.account(shop, "10.0.0.2"));
    assertThat(take(shop, "10.0.0.3")).isTrue();
    assertThat(take(shop, "10.0.0.3")).isFalse();
  }

  @Test
  void regionServersAreCountedForEachAddress() {
    Principal regions = principal("regions", Role.REGION);
    for (String address : List.of("10.0.0.1", "10.0.0.2")) {
      assertThat(take(regions, address)).isTrue();
      assertThat(take(regions, address)).isTrue();
      assertThat(take(regions, address)).isFalse();
      assertThat(connections.account(regions, address).problem())
          .contains("lampone.tm.admission.connections.of.region.server", "limit=2");
    }
    connections.remove(connections.account(regions, "10.0.0.1"));
    assertThat(take(regions, "10.0.0.2")).isFalse();
    assertThat(take(regions, "10.0.0.1")).isTrue();
  }

  @Test
  void aClientThatIsARegionServerAsWellHasTheLimitOfClientsAtEachAddress() {
    Principal both = principal("both", Role.REGION, Role.CLIENT);
    for (int i = 0; i < 3; i++) {
      assertThat(take(both, "10.0.0.1")).isTrue();
    }
    assertThat(take(both, "10.0.0.1")).isFalse();
    assertThat(take(both, "10.0.0.2")).isTrue();
  }

  private boolean take(Principal principal, String address) {
    Account account = connections.account(principal, address);
    boolean room = connections.hasRoom(account);
    if (room) {
      connections.add(account);
    }
    return room;
  }

  private static Principal principal(String name, Role... roles) {
    return new Principal(name, Set.of(roles), List.of(Principal.ANY_TENANT));
  }
}
