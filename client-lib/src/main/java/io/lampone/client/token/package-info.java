/** API of delegation tokens: credentials for tasks of a job without a ticket or keytab. */
@NullMarked
package io.lampone.client.token;

import org.jspecify.annotations.NullMarked;
