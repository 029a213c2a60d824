/** Certification of a transaction's reads at its commit (protocol page, section 4). */
@NullMarked
package io.lampone.client.core.certify;

import org.jspecify.annotations.NullMarked;
