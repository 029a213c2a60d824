package io.lampone.tm.net;

import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.security.Security;

/**
 * What a listener goes by.
 *
 * @param limits what clients may ask of the server
 * @param admission how much it lets in
 * @param quotas of the tenants, to begin with
 * @param security whom it believes, and TLS
 */
public record Policies(
    ServerLimits limits, AdmissionSettings admission, Quotas quotas, Security security) {}
