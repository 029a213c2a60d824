/** API of delegation tokens: credentials for tasks of a job, which have no ticket and no keytab. */
@NullMarked
package io.lampone.client.token;

import org.jspecify.annotations.NullMarked;
