package io.lampone.tm.net;

import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.security.Security;

/**
 * Policies of a listener.
 *
 * @param limits the limits on clients
 * @param admission admission control
 * @param quotas the initial quotas of the tenants
 * @param security authentication and TLS
 */
public record Policies(
    ServerLimits limits, AdmissionSettings admission, Quotas quotas, Security security) {}
