/** Exceptions of the client's cores. The edge translates them to those of the API. */
@NullMarked
package io.lampone.client.core.failure;

import org.jspecify.annotations.NullMarked;
